/** What Restate journals, with the control flow that decides which of it and in which order. */
export type Flow = CommandFlow | Loop | Branch | FunctionCall | Exit;

interface CommandFlow {
  kind: 'command';
  text: string;
  command: Command;
}
export interface Command {
  type: 'run' | 'sleep' | 'get' | 'set' | 'clear' | 'call' | 'send';
  /** Of a step, of a state key, or `service.handler`. `${…}` stands for any text. */
  name: string;
}
export interface Loop {
  kind: 'loop';
  text: string;
  body: Flow[];
  /** Ends only with an exit in its body. */
  isEndless: boolean;
  /** Its body is a function that is called for each item, so that `return` continues with the next. */
  isCallback: boolean;
}
interface Branch {
  kind: 'if';
  text: string;
  body: Flow[];
  otherwise: Flow[];
}
/** A function in this project that uses the context. */
interface FunctionCall {
  kind: 'function';
  text: string;
  body: Flow[];
  /** A recursive call: the body is the one that contains it. */
  isRecursive: boolean;
}
interface Exit {
  kind: 'exit';
  text: 'return' | 'throw' | 'break' | 'continue';
}

export const command = (type: Command['type'], name: string, more = ''): Flow => ({
  kind: 'command',
  text: `${`${type} ${name}`.trim()}${more}`,
  command: { type, name },
});

export const exit = (text: Exit['text']): Flow => ({ kind: 'exit', text });

export const branch = (text: string, body: Flow[], otherwise: Flow[] = []): Flow[] =>
  body.length + otherwise.length === 0 ? [] : [{ kind: 'if', text, body, otherwise }];

export const functionCall = (name: string, body: Flow[], isRecursive = false): Flow[] =>
  body.length === 0 && !isRecursive
    ? []
    : [{ kind: 'function', text: `${name}()${isRecursive ? ' again' : ''}`, body, isRecursive }];

/** Nothing, if the loop neither journals anything nor leaves the handler. */
export const loop = (text: string, body: Flow[], { isEndless = false, isCallback = false } = {}): Flow[] =>
  body.some(hasEffect) ? [{ kind: 'loop', text, body, isEndless, isCallback }] : [];

function hasEffect(flow: Flow): boolean {
  if (flow.kind === 'command' || (flow.kind === 'function' && flow.isRecursive)) return true;
  if (flow.kind === 'exit') return flow.text === 'return' || flow.text === 'throw';
  return [...flow.body, ...(flow.kind === 'if' ? flow.otherwise : [])].some(hasEffect);
}

export const linesOf = (flows: readonly Flow[], indent = ''): string[] =>
  flows.flatMap((flow) => [
    `${indent}${flow.text}`,
    ...('body' in flow && !('isRecursive' in flow && flow.isRecursive) ? linesOf(flow.body, `${indent}  `) : []),
    ...(flow.kind === 'if' && flow.otherwise.length > 0
      ? [`${indent}else`, ...linesOf(flow.otherwise, `${indent}  `)]
      : []),
  ]);
