import type { Command } from 'commander';
import { findBrowser } from '../doctor/browser.ts';
import { diagnose } from '../doctor/diagnose.ts';
import type { Finding } from '../doctor/finding.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint } from '../out.ts';
import { outOf } from '../session.ts';

interface Options {
  /** False with `--no-browser`, or a path. */
  browser: boolean | string;
}

export function define(doctor: Command): void {
  doctor
    .argument('<page>', 'URL of a page that should show the chat')
    .option('--browser <path>', 'path to Chromium or Chrome')
    .option('--no-browser', 'check only the HTML the server sends')
    .addHelpText(
      'after',
      `
Finds out why the chat isn’t showing on a page and how to fix it. No sign-in needed.
Uses Chromium or Chrome if playwright-core is installed (npm i playwright-core). Otherwise, checks only the HTML.
Exits with 0 if everything is fine, 1 if there are problems.

Examples:
  $ parley doctor https://shop.example/
  $ parley doctor http://localhost:3000 --json`,
    )
    .action(async (page: string, { browser }: Options, command: Command) => {
      const out = outOf(command);
      const scheme = /^(localhost|127\.0\.0\.1)\b/.test(page) ? 'http' : 'https';
      const url = /^https?:\/\//.test(page) ? page : `${scheme}://${page}`;
      if (!URL.canParse(url)) throw new CliError(exitCodes.usage, 'invalid_url', `“${page}” is not a valid URL.`);
      const launch =
        browser === false ? undefined : await findBrowser(typeof browser === 'string' ? browser : undefined);
      if (!launch) out.note(paint('dim', 'Running without a browser: changes made by scripts can’t be checked.'));
      const findings = await diagnose(url, { launch });
      out.result({ page: url, by: launch ? 'browser' : 'fetch', findings }, describe(findings));
      if (findings.length > 0) process.exitCode = exitCodes.failed;
    });
}

/** Text of a page may contain control characters that affect the terminal. */
const stripControls = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

const describe = (findings: readonly Finding[]): string =>
  findings.length === 0
    ? `${paint('green', '✓')} No problems found. The chat is on the page.`
    : findings
        .map(
          ({ cause, message, evidence, fix }) =>
            `${paint('red', '✗')} ${stripControls(message)} ${paint('dim', `(${cause})`)}\n  ${stripControls(evidence)}\n  → ${stripControls(fix)}`,
        )
        .join('\n');
