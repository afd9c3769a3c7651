import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { search } from '../apps/server/src/features/knowledge/index.ts';
import type { Embedder } from '../apps/server/src/features/knowledge/embed/embedder.ts';
import type { Document } from './corpus.ts';
import { loadDocuments } from './load.ts';
import { percent } from './measure.ts';
import type { EvalTenant } from './speed.ts';
import { embedSources } from './vectors.ts';

// Public sets, for which nothing was tuned: XQuAD (CC BY-SA 4.0), the bank's documents of τ-bench (MIT), CLINC150 (CC BY 3.0).

interface Xquad {
  data: { title: string; paragraphs: { context: string; qas: { question: string }[] }[] }[];
}
interface Task {
  user_scenario: { instructions: string };
  required_documents: string[];
}
interface Clinc {
  oos_test: [question: string, intent: string][];
}

export async function reportAnchors(
  newTenant: () => Promise<EvalTenant>,
  folder: string,
  embedder: Embedder | undefined,
): Promise<void> {
  const read = <T>(name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  const load = async (documents: readonly Document[]) => {
    const tenant = await newTenant();
    const { sourceIds, names } = await tenant.inside((tx) => loadDocuments(tx, tenant.botId, documents));
    if (embedder) await embedSources(tenant, sourceIds, embedder);
    return async (question: string, language: string, max: number) => {
      const vector = await embedder?.embedQuestion(question);
      const found = await tenant.inside((tx) =>
        search(tx, sourceIds, question, { languages: [language], vector, max }),
      );
      return { ...found, documents: [...new Set(found.chunks.map(({ documentId }) => names.get(documentId)))] };
    };
  };

  for (const language of ['en', 'de']) {
    const { data } = read<Xquad>(`xquad/xquad.${language}.json`);
    const paragraphs = data.flatMap(({ title, paragraphs: those }) => those.map((one) => ({ title, ...one })));
    const ask = await load(
      paragraphs.map(({ title, context }, n) => ({ name: `${n}`, language, title, markdown: context })),
    );
    const ranks: number[] = [];
    for (const [n, { qas }] of paragraphs.entries())
      for (const { question } of qas) ranks.push((await ask(question, language, 10)).documents.indexOf(`${n}`));
    const share = (max: number) => percent(ranks.filter((rank) => rank >= 0 && rank < max).length / ranks.length);
    console.log(
      `XQuAD ${language}, ${ranks.length} questions: right paragraph first ${share(1)}, among three ${share(3)}`,
    );
  }

  const documents = read<{ id: string; title: string; content: string }[]>('tau-banking/documents.json');
  const askBank = await load(
    documents.map(({ id, title, content }) => ({ name: id, language: 'en', title, markdown: content })),
  );
  const tasks = read<Task[]>('tau-banking/tasks.json').filter(({ required_documents: ids }) => ids.length > 0);
  const recall: number[] = [];
  for (const { user_scenario: scenario, required_documents: ids } of tasks) {
    const found = await askBank(scenario.instructions, 'en', 10);
    recall.push(ids.filter((id) => found.documents.includes(id)).length / ids.length);
  }
  const mean = recall.reduce((sum, one) => sum + one, 0) / recall.length;
  console.log(`τ-bench banking, ${tasks.length} tasks: required documents among ten chunks ${percent(mean)}`);

  const questions = read<Clinc>('clinc150/data_small.json').oos_test.map(([question]) => question);
  let refused = 0;
  for (const question of questions) if (!(await askBank(question, 'en', 1)).isConfident) refused++;
  console.log(
    `CLINC150, ${questions.length} out-of-scope questions to the bank: refused ${percent(refused / questions.length)}`,
  );
}
