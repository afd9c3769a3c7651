import { showEveryPage } from './every-page.ts';

showEveryPage(1440);
