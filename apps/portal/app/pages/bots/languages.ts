/** Languages the widget is translated into come first. Others use custom labels, or English. */
const languageNames: [string, string][] = [
  ['en', 'English'],
  ['de', 'German'],
  ['fr', 'French'],
  ['es', 'Spanish'],
  ['it', 'Italian'],
  ['nl', 'Dutch'],
  ['pl', 'Polish'],
  ['pt', 'Portuguese'],
  ['pt-BR', 'Portuguese (Brazil)'],
  ['tr', 'Turkish'],
  ['ar', 'Arabic'],
  ['ja', 'Japanese'],
  ['zh', 'Chinese'],
  ['cs', 'Czech'],
  ['da', 'Danish'],
  ['el', 'Greek'],
  ['fi', 'Finnish'],
  ['hu', 'Hungarian'],
  ['ko', 'Korean'],
  ['nb', 'Norwegian'],
  ['ro', 'Romanian'],
  ['ru', 'Russian'],
  ['sv', 'Swedish'],
  ['uk', 'Ukrainian'],
];

/** Includes languages the bot already has. */
export const languageChoices = (current: readonly string[]) => [
  ...languageNames.map(([value, label]) => ({ value, label })),
  ...current.filter((tag) => languageNames.every(([value]) => value !== tag)).map((value) => ({ value, label: value })),
];
