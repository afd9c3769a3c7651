import { afterAll, expect, test } from 'vitest';
import { aWidgetSite, onPage, openPage } from './fixture.ts';

const site = await aWidgetSite();
afterAll(site.close);

test('shows an answer with its source to a visitor who opens the chat and asks', async () => {
  const context = await site.newContext();
  const page = await openPage(context, `${site.site.url}/`);
  const widget = onPage(page);
  await widget.open();
  await widget.say('How long does delivery take?');
  await widget.replies.first().waitFor();
  await expect.poll(() => widget.replies.first().innerText()).toContain('two to four working days');
  await context.close();
});
