/** Languages the widget speaks by itself come first; in others it uses your own words, or English. */
const known: [string, string][] = [
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

/** Also those that a bot has already, whatever they are. */
export const languageChoices = (has: readonly string[]) => [
  ...known.map(([value, label]) => ({ value, label })),
  ...has.filter((tag) => known.every(([value]) => value !== tag)).map((value) => ({ value, label: value })),
];
