/** Quoted; and what a spreadsheet would take for a formula is made text. */
const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

export const csvOf = (cells: string[]): string => cells.map(cell).join(',');
