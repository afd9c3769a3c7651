import { expect, onTestFinished } from 'vitest';
import type { Page } from 'playwright-core';
import { aBrowser, demo, signIn } from './browser.ts';
import { aNewcomer, post } from './people.ts';
import { open as openPage } from './steps.ts';

interface Bot {
  id: string;
  workspaceId: string;
  status: string;
  revision: number;
  allowedOrigins: string[];
  draft: { title: string; greeting: string; instructions: string; noAnswer: string; appearance: { accent: string } };
}

/** The only origin that may embed it. */
export const site = 'https://shop.example.com';

export const tabOf = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages of this bot' }).getByRole('link', { name });

/** An owner with one bot, with one of its pages open, and readers of the stored bot. */
export async function aBot(tab = 'Build') {
  const person = await aNewcomer();
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', person);
  const headers = { authorization: `Bearer ${accessToken}` };
  const draft = { title: 'Nori', greeting: 'Hello from the first day.' };
  const { bot } = await post<{ bot: Bot }>('/bots', { name: 'Nori', allowedOrigins: [site], draft }, headers);
  const open = async () => {
    const { page, context, problems } = await aBrowser();
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await signIn(page, person);
    await openPage(page, `/bots/${bot.id}${tab === 'Build' ? '' : `/${tab.toLowerCase()}`}`);
    await page.locator('[aria-current=page]').getByText(tab).waitFor();
    return page;
  };
  const read = async <T>(path: string) => {
    const response = await fetch(demo.apiUrl + path, { headers });
    return (await response.json()) as T;
  };
  const saved = async () => (await read<{ bot: Bot }>(`/bots/${bot.id}`)).bot;
  return { id: bot.id, headers, open, read, saved, page: await open() };
}
