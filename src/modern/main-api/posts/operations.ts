export const postOperations = {};
