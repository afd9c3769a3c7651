type Values = Record<string, string>;

const line = /^([A-Z][A-Z0-9_]*)=(.*)$/;
const plain = /^[\w.,:/@+-]*$/;

/** The settings in a `.env` file as `formatEnv` writes it. */
export function parseEnv(text: string): Values {
  const values: Values = {};
  for (const row of text.split('\n')) {
    const [, name, value] = line.exec(row) ?? [];
    if (name !== undefined && value !== undefined) values[name] = value.replace(/^'(.*)'$/, '$1');
  }
  return values;
}

/** The text with these values: existing lines are changed where they are, and new ones are added at the end. */
export function setEnv(text: string, values: Values): string {
  const rest = new Map(Object.entries(values));
  const rows = text
    .trimEnd()
    .split('\n')
    .map((row) => {
      const name = line.exec(row)?.[1];
      const value = name === undefined ? undefined : rest.get(name);
      if (name === undefined || value === undefined) return row;
      rest.delete(name);
      return formatLine(name, value);
    });
  return `${[...rows, ...[...rest].map(([name, value]) => formatLine(name, value))].join('\n').trimStart()}\n`;
}

function formatLine(name: string, value: string): string {
  if (/['\n\r\\$]/.test(value))
    throw new Error(`${name} must not contain quotes, backslashes, dollar signs or line breaks.`);
  return `${name}=${plain.test(value) ? value : `'${value}'`}`;
}
