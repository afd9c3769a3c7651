import { testEveryPage } from './every-page.ts';

// Only in a full run: see vitest.config.ts and pages-desktop.test.ts.
testEveryPage([360]);
