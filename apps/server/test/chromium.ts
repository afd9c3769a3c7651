import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync', '--no-first-run'];

/** The same engine without its windows: a fifth less to wait for. */
const headless = '/usr/bin/chromium-headless-shell';

export const launchChromium = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? (existsSync(headless) ? headless : '/usr/bin/chromium'),
    args: [...flags, ...more],
  });
