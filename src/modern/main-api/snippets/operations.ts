export const snippetOperations = {};
