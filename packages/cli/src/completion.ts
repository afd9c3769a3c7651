import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** `completion <shell>` prints a script, which asks the hidden `complete` while somebody types. */
export function addCompletion(program: Command): void {
  const completion = tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((command) => command.name() === 'completion')
    ?.action((shell: string) => {
      const script = printedBy(() => completion.setup('parley', 'parley', shell));
      // Sourced a second time, as with `source ~/.bashrc`, these would be errors.
      process.stdout.write(`${script.replaceAll(/^readonly /gm, '')}\n`);
    });
}

/** The library has no other way to hand over its script. */
function printedBy(print: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => void lines.push(line);
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines.join('\n');
}
