import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../tools/demo/processes.ts';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');

/** The commands of the README, in order: those of its shell blocks, and those quoted in its text. */
export const commands = {
  blocks: [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n')),
  quoted: [...readme.matchAll(/`((?:npm|node|npx|apt-get|parley) [^`]+)`/g)].map(([, command = '']) => command),
};

/** The code with a file name, ready to run. */
export const snippets = new Map(
  [...readme.matchAll(/^```js file=(\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => [name, code]),
);
export const embedSnippet = /^```html\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';
