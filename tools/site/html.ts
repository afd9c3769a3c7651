/** Trusted markup. Everything else is text, and is escaped. */
export interface Html {
  readonly markup: string;
}
type Value = string | Html | readonly Html[];

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  markup: parts.reduce((sofar, part, n) => `${sofar}${markupOf(values[n - 1] ?? '')}${part}`),
});

/** For our own styles and scripts, which contain no input. */
export const raw = (markup: string): Html => ({ markup });

function markupOf(value: Value): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => entities[character] ?? character);
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('\n');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
