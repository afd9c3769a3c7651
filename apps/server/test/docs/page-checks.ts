import type { Browser } from 'playwright-core';
import { until } from '../chat/helpers.ts';
import { onPage, openPage } from '../widget/fixture.ts';

/** A question for the chat of each page of the documentation, and the expected answer. */
const questions: Record<string, [question: string, answer: string]> = {
  'quick-start': ['How long does delivery take?', 'two to four working days'],
  'guides/embed': ['Can I send it back?', 'within 30 days'],
  'guides/signed-in-visitors': ['How long does delivery take?', 'two to four working days'],
  'tutorials/express': ['Where is my order?', 'Your order A-1001 is on its way to you.'],
  'tutorials/next': ['Where is my order?', 'Your order A-1001 is on its way to you.'],
};

/** Checks the chat of what the reader has built, while it runs. */
export function pageCheckOf(slug: string, browser: Browser, url: string): (() => Promise<void>) | undefined {
  const [question, answer] = questions[slug] ?? [];
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
