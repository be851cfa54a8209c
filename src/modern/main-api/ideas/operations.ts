export const ideaOperations = {};
