/** German verbs that come apart: "hebt … auf" is aufheben, "zurückgeschickt" and "zurückzuschicken" are zurückschicken. */
const particles =
  'ab an auf aus bei durch ein fest frei her hin los mit nach um unter vor weg weiter wieder zu zurück zusammen'.split(
    ' ',
  );
const particle = new RegExp(
  `^(${particles.toSorted((a, b) => b.length - a.length).join('|')})(?:ge|zu)?(\\p{L}{3,})$`,
  'u',
);

/** Other forms in which the same verb may be written in one word. */
export function verbForms(word: string, words: readonly string[]): string[] {
  const forms: string[] = [];
  const apart = new RegExp(`^(${particles.join('|')})(?:ge|zu)(\\p{L}{3,})$`, 'u').exec(word);
  if (apart) forms.push(`${apart[1]}${infinitive(apart[2] ?? '')}`);
  const participle = /^ge(\p{L}{3,})t$/u.exec(word);
  if (participle) forms.push(`${participle[1]}en`);
  if (word.length >= 4 && !particle.test(word)) {
    for (const other of words) if (particles.includes(other)) forms.push(`${other}${infinitive(word)}`);
  }
  return forms;
}

const infinitive = (word: string) => `${word.replace(/(?:est|st|en|et|e|t)$/u, '')}en`;

/** The particle and the verb, where a passage may have them apart. */
export function verbParts(word: string): [string, string] | undefined {
  const found = particle.exec(word);
  return found?.[1] && found[2] ? [found[1], infinitive(found[2])] : undefined;
}
