/** Characters that start a formula in spreadsheets, including their full-width forms. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** Quotes the cell and neutralises formulas, to prevent CSV injection. */
const cell = (text: string) => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** One CSV row. */
export const csvOf = (cells: readonly string[]): string => cells.map(cell).join(',');
