import type { Browser } from 'playwright-core';
import { until } from '../chat/helpers.ts';
import { onPage, openPage } from '../widget/fixture.ts';

/** What somebody asks in the chat that a page of the documentation has put on a page, and what they read. */
const asked: Record<string, [question: string, answer: string]> = {
  'quick-start': ['How long does delivery take?', 'two to four working days'],
  'guides/embed': ['Can I send it back?', 'within 30 days'],
  'guides/signed-in-visitors': ['How long does delivery take?', 'two to four working days'],
  'tutorials/express': ['Where is my order?', 'Your order A-1001 is on its way to you.'],
  'tutorials/next': ['Where is my order?', 'Your order A-1001 is on its way to you.'],
};

/** Somebody who visits what the reader has built, while it runs. */
export function visitOf(slug: string, browser: Browser, url: string): (() => Promise<void>) | undefined {
  const [question, answer] = asked[slug] ?? [];
  if (question === undefined || answer === undefined) return undefined;
  return async () => {
    const context = await browser.newContext({ locale: 'en-GB' });
    try {
      const page = await openPage(context, url);
      const widget = onPage(page);
      await widget.open();
      await widget.say(question);
      await until(async () => (await widget.replies.allInnerTexts()).some((text) => text.includes(answer)), 20_000);
    } finally {
      await context.close();
    }
  };
}
