import { testEveryPage } from './every-page.ts';

testEveryPage(1440);
