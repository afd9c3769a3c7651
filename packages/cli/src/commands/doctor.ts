import type { Command } from 'commander';
import { findBrowser } from '../doctor/browser.ts';
import { diagnose } from '../doctor/diagnose.ts';
import type { Finding } from '../doctor/finding.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint } from '../out.ts';
import { outOf } from '../session.ts';

interface Options {
  /** False with `--no-browser`, a path where one is given. */
  browser: boolean | string;
}

export function define(doctor: Command): void {
  doctor
    .argument('<page>', 'the address of a page that should have the chat')
    .option('--browser <path>', 'which Chromium or Chrome to look with')
    .option('--no-browser', 'only read what the server sends')
    .addHelpText(
      'after',
      `
Says why the chat is not on a page, how that is known, and what to do. Needs no sign-in.
It looks with Chromium or Chrome where playwright-core is installed (npm i playwright-core), else it reads the HTML.
Exit code 0 when nothing is wrong, 1 when something is.

Examples:
  $ parley doctor https://shop.example/
  $ parley doctor http://localhost:3000 --json`,
    )
    .action(async (page: string, { browser }: Options, command: Command) => {
      const out = outOf(command);
      const scheme = /^(localhost|127\.0\.0\.1)\b/.test(page) ? 'http' : 'https';
      const url = /^https?:\/\//.test(page) ? page : `${scheme}://${page}`;
      if (!URL.canParse(url)) throw new CliError(exitCodes.usage, 'not_an_address', `${page} is no address of a page.`);
      const launch =
        browser === false ? undefined : await findBrowser(typeof browser === 'string' ? browser : undefined);
      if (!launch) out.note(paint('dim', 'Without a browser: what scripts do to the page is not seen.'));
      const findings = await diagnose(url, { launch });
      out.answer({ page: url, by: launch ? 'browser' : 'fetch', findings }, words(findings));
      if (findings.length > 0) process.exitCode = exitCodes.failed;
    });
}

/** A page may say anything, also what would take a terminal over. */
const tame = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

const words = (findings: readonly Finding[]): string =>
  findings.length === 0
    ? `${paint('green', '✓')} Nothing wrong: the chat is on the page.`
    : findings
        .map(
          ({ cause, message, evidence, fix }) =>
            `${paint('red', '✗')} ${tame(message)} ${paint('dim', `(${cause})`)}\n  ${tame(evidence)}\n  → ${tame(fix)}`,
        )
        .join('\n');
