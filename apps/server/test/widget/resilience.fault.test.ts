import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { randomFrom } from '../faults/random.ts';
import { admin } from '../harness.ts';
import { aWidgetSite, onPage, openPage } from './fixture.ts';
import { chatbot } from './helpers.ts';

// Each message is accepted, answered and shown once, whatever page, connection or process dies meanwhile. Per commit, each
// fault once.
const rounds = countOf('FAULT_ROUNDS', { sample: 3, full: 100 });
const seed = seedFrom('FAULT_SEED');
const random = randomFrom(seed);
console.log(`resilience of the widget: FAULT_ROUNDS=${rounds} FAULT_SEED=${seed}`);
const perVisitor = 8;

const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);
const answerTo = (question: string) => `You said ${question} and this is the whole answer to it, word by word.`;
site.model.script = ({ messages }) => {
  const text = messages.findLast(({ role }) => role === 'user')?.content;
  const question = /q\d+\w*/.exec(typeof text === 'string' ? text : JSON.stringify(text))?.[0] ?? '?';
  return { tokens: answerTo(question).split(' '), everyMs: 25 };
};

type Round = (page: Page, question: string, context: BrowserContext) => Promise<string[]>;
const soon = () => sleep(random.between(0, 450));

const faults: Record<string, Round> = {
  'the page is loaded again while the answer comes': async (page, question) => {
    await onPage(page).say(question);
    await soon();
    await page.reload();
    return [question];
  },
  'there is no line while it is written': async (page, question, context) => {
    await context.setOffline(true);
    await onPage(page).say(question);
    await soon();
    await context.setOffline(false);
    return [question];
  },
  'the line is lost while the answer comes': async (page, question, context) => {
    await onPage(page).say(question);
    await soon();
    await context.setOffline(true);
    await soon();
    await context.setOffline(false);
    return [question];
  },
  'the API is started anew while the answer comes': async (page, question) => {
    await onPage(page).say(question);
    await soon();
    await site.restartApi();
    return [question];
  },
  'two tabs speak at once, and one is closed': async (page, question, context) => {
    const other = await openPage(context, page.url());
    await opened(other);
    const questions = [`${question}a`, `${question}b`];
    await Promise.all([onPage(page).say(questions[0]!), onPage(other).say(questions[1]!)]);
    await soon();
    await other.close();
    return questions;
  },
  'the page is loaded again while there is no API': async (page, question) => {
    await site.stopApi();
    await onPage(page).say(question);
    await soon();
    await site.startApi();
    await page.reload();
    return [question];
  },
};

async function opened(page: Page) {
  const { launcher, field } = onPage(page);
  await launcher.waitFor();
  await chatbot(page, 'open'); // not by a click: it may already be restored open, and a click would close it
  await field.waitFor();
}

/** Checks the log: each question once, with one reply. */
async function inLog(questions: readonly string[]) {
  const rows = await admin
    .selectFrom('conversationEvents')
    .select(['type', 'payload', 'turnId'])
    .where('tenantId', '=', site.tenant.tenantId)
    .execute();
  return questions.map((question) => {
    const sent = rows.filter(
      ({ type, payload }) => type === 'message.created' && (payload as { text?: string }).text === question,
    );
    const answers = rows.filter(({ type, turnId }) => type === 'reply.completed' && turnId === sent[0]?.turnId);
    return { question, sent: sent.length, answers: answers.length };
  });
}

test(
  `loses and duplicates no message in ${rounds} crashes, reloads and lost connections`,
  async () => {
    const names = Object.keys(faults);
    const all: string[] = [];
    let context: BrowserContext | undefined;
    let page: Page | undefined;
    let mine: string[] = [];
    for (let round = 0; round < rounds; round++) {
      if (round % perVisitor === 0 || !page || !context) {
        await context?.close();
        context = await site.newContext();
        page = await openPage(context, `${site.site.url}/`);
        mine = [];
      }
      await opened(page);
      const name = names[round % names.length] ?? '';
      const sent = await faults[name]!(page, `q${round}`, context);
      mine.push(...sent);
      all.push(...sent);
      await opened(page);
      const { own, replies } = onPage(page);
      const label = `round ${round}: ${name}`;
      for (const question of sent)
        await expect
          .poll(() => replies.allInnerTexts(), { timeout: 40_000, message: label })
          .toContainEqual(expect.stringContaining(answerTo(question)));
      const [questions, answers] = [
        await own.locator('.text').allInnerTexts(),
        await replies.locator('.text').allInnerTexts(),
      ];
      expect(questions.toSorted(), label).toEqual(mine.toSorted());
      expect(answers.toSorted(), label).toEqual(mine.map(answerTo).toSorted());
    }
    await context?.close();
    // The last reply is streamed to the page before it is in the log.
    await expect
      .poll(() => inLog(all), { timeout: 40_000 })
      .toEqual(all.map((question) => ({ question, sent: 1, answers: 1 })));
  },
  60_000 + rounds * 30_000,
);
