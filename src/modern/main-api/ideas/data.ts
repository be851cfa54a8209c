export interface IdeasData {}
