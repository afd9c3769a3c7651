import { isFull } from '../tools/testing/size.ts';
import { testEveryPage } from './every-page.ts';

// Per commit each page at one of both widths. A full run has a file for each, so that they run in parallel.
testEveryPage(isFull ? [1440] : [1440, 360]);
