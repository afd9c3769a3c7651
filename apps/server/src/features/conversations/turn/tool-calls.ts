import type { ToolCall } from '../../../platform/model-types.ts';
import { isStorable } from '../../../platform/storable.ts';

/** More in one answer are not even looked at. */
const maxToolCalls = 8;
const maxCharacters = 32_000;
/** What no action is called, and what no schema of one accepts. */
const unnamed = '_unknown';
const unreadable = 'too long, too deeply nested, or not readable';

/**
 * What is kept of what a model wants: it may write anything, and all of it is stored and told back to it. Nothing is
 * mended, so that nothing else is done than what it requested: what cannot be kept as it is becomes a tool call that is refused.
 */
export function keptToolCalls(toolCalls: readonly ToolCall[]): ToolCall[] {
  const taken = new Set<string>();
  return toolCalls.slice(0, maxToolCalls).map(({ id, name, input, memo }, place) => {
    const own = /^[\x21-\x7e]{1,200}$/.test(id) && !taken.has(id) ? id : `tool_call_${place + 1}_${taken.size}`;
    taken.add(own);
    return {
      id: own,
      name: /^[\w-]{1,64}$/.test(name) ? name : unnamed,
      input: isKept(input) ? input : unreadable,
      ...(memo !== undefined && { memo }),
    };
  });
}

function isKept(input: unknown): boolean {
  return isStorable(input) && JSON.stringify(input).length <= maxCharacters;
}
