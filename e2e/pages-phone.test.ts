import { testEveryPage } from './every-page.ts';

testEveryPage(360);
