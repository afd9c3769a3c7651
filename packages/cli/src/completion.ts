import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** `completion <shell>` prints a script that calls the hidden `complete` command. */
export function addCompletion(program: Command): void {
  const completion = tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((command) => command.name() === 'completion')
    ?.action((shell: string) => {
      const script = capture(() => completion.setup('parley', 'parley', shell));
      // `readonly` would fail when the script is sourced again, as with `source ~/.bashrc`.
      process.stdout.write(`${script.replaceAll(/^readonly /gm, '')}\n`);
    });
}

/** The library only prints its script. */
function capture(print: () => void): string {
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
