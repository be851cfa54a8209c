import { walkAsStaff } from './support/staff-walks.ts';

walkAsStaff({ javaScriptEnabled: false });
