export interface PostsData {}
