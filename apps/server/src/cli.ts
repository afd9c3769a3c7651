import { becomeProgram, isProgram } from './become-program.ts';

// The commands are a third of the server's code: the API and the worker would load them first, only to be replaced.
const [name] = process.argv.slice(2);
if (isProgram(name)) becomeProgram(name);
else await import('./commands.ts');
