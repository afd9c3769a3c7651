import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { search } from '../apps/server/src/features/knowledge/index.ts';
import type { Embedder } from '../apps/server/src/features/knowledge/embed/embedder.ts';
import { demoChunks } from '../tools/demo/chunks.ts';
import { loadDocuments } from './load.ts';
import type { EvalTenant } from './speed.ts';
import { embedSources } from './vectors.ts';

/** Asks the demo's bot the questions of corpus/shop.json, which are listed by the section that answers them, or by none. */
export async function askShop(tenant: EvalTenant, embedder: Embedder | undefined) {
  const file = join(import.meta.dirname, 'corpus/shop.json');
  const sections = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>;
  const markdown = demoChunks.map(({ heading, body }) => `## ${heading}\n\n${body}`).join('\n\n');
  const document = { name: 'en/help.md', language: 'en', title: 'Help', markdown };
  const { sourceIds } = await tenant.inside((tx) => loadDocuments(tx, tenant.botId, [document]));
  if (embedder) await embedSources(tenant, sourceIds, embedder);
  const misses: string[] = [];
  let [questions, first, answered, unanswerable, refused] = [0, 0, 0, 0, 0];
  for (const [section, ofSection] of Object.entries(sections))
    for (const question of ofSection) {
      const vector = await embedder?.embedQuestion(question);
      const { chunks, isConfident } = await tenant.inside((tx) =>
        search(tx, sourceIds, question, { languages: ['en'], vector }),
      );
      const found = chunks[0]?.heading.split(' › ').at(-1);
      if (section === '') {
        unanswerable++;
        if (!isConfident) refused++;
        else misses.push(`${question} → ${found ?? 'nothing'} (no answer)`);
        continue;
      }
      questions++;
      if (isConfident && found === section) answered++;
      if (found === section) first++;
      if (found !== section || !isConfident)
        misses.push(`${question} → ${found ?? 'nothing'}${isConfident ? '' : ', refused'} (${section})`);
    }
  return { questions, first, answered, unanswerable, refused, misses };
}
