/** Provisional. */
export function toPassages(markdown: string, title: string): { heading: string; body: string }[] {
  const path: string[] = [];
  const out: { heading: string; body: string }[] = [];
  let lines: string[] = [];
  const flush = () => {
    const body = lines.join('\n').trim();
    if (body) out.push({ heading: path.filter((p) => p && p !== title).join(' › '), body });
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const head = /^(#{1,6})\s+(.*)$/.exec(line);
    if (!head) {
      lines.push(line);
      continue;
    }
    flush();
    path.length = (head[1] ?? '').length - 1;
    path[(head[1] ?? '').length - 1] = (head[2] ?? '').trim();
  }
  flush();
  return out;
}
