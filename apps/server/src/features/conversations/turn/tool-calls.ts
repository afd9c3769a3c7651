import type { ToolCall } from '../../../platform/model-types.ts';
import { isStorable } from '../../../platform/storable.ts';

/** Further calls in one response are ignored. */
const maxToolCalls = 8;
const maxCharacters = 32_000;
/** Placeholders that match no action name and no input schema. */
const unnamed = '_unknown';
const unreadable = 'too long, too deeply nested, or not readable';

/**
 * Makes a model's tool calls safe to store and to send back. They may contain anything. Nothing is repaired, so that
 * nothing other than what was requested is run: a call that cannot be stored as it is becomes one that is rejected.
 */
export function sanitizeToolCalls(toolCalls: readonly ToolCall[]): ToolCall[] {
  const usedIds = new Set<string>();
  return toolCalls.slice(0, maxToolCalls).map(({ id, name, input, memo }, index) => {
    const uniqueId =
      /^[\x21-\x7e]{1,200}$/.test(id) && !usedIds.has(id) ? id : `tool_call_${index + 1}_${usedIds.size}`;
    usedIds.add(uniqueId);
    return {
      id: uniqueId,
      name: /^[\w-]{1,64}$/.test(name) ? name : unnamed,
      input: isStorableInput(input) ? input : unreadable,
      ...(memo !== undefined && { memo }),
    };
  });
}

function isStorableInput(input: unknown): boolean {
  return isStorable(input) && JSON.stringify(input).length <= maxCharacters;
}
