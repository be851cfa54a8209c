/** Ids of the demo organizations: two of the first person, one of the second person. */
export const BAKERY = '5e1f0c9a7b3d4e2f8a6c2d01';
export const RUNNERS = '5e1f0c9a7b3d4e2f8a6c2d02';
export const RECORDS = '5e1f0c9a7b3d4e2f8a6c2d03';
