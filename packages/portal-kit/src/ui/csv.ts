/** What a spreadsheet takes for the start of a formula, also in the wide form that some of them read alike. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** Quoted, and a formula made text: whoever opens the file runs nothing that somebody else chose. */
const cell = (text: string) => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** One line of a CSV file. */
export const csvOf = (cells: readonly string[]): string => cells.map(cell).join(',');
