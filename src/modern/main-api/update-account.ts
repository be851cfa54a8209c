export const accountMutations = {};
