interface Values {
  'visitor.name': string | undefined;
  'visitor.email': string | undefined;
  'agent.name': string | undefined;
  'bot.name': string | undefined;
}

export const variableNames = ['visitor.name', 'visitor.email', 'agent.name', 'bot.name'] as const;

const variable = /\{\{\s*([a-z]+\.[a-z]+)\s*(?:\|([^{}|]{0,100}))?\}\}/g;

/**
 * Fills in what is known. `{{visitor.name|there}}` falls back to “there”; without a fallback the variable stays, so that the
 * agent sees what is missing.
 */
export const fillVariables = (text: string, values: Values): string =>
  text.replaceAll(variable, (all, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(values, name) ? values[name as keyof Values] : undefined;
    return value || (fallback?.trim() ?? all);
  });

/** Variables that are still to be filled in. */
export const openVariables = (text: string): string[] => text.match(variable) ?? [];
