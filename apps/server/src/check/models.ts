import { defaultBaseUrls } from '../platform/model-providers.ts';
import { defineFindings, reasonOf, timeouts, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'models.unreachable': {
    level: 'warning',
    cause:
      'The provider of a model in MODELS or EMBEDDINGS does not respond. Bots quote their knowledge until it does.',
    fix: 'Correct `baseUrl`. If the host is private, add it to EGRESS_OPEN_HOSTS; if it has its own certificate authority, set EGRESS_CA_FILE.',
  },
  'models.key': {
    level: 'warning',
    cause: 'The provider of a model in MODELS or EMBEDDINGS rejects the API key.',
    fix: 'Replace `apiKey`.',
  },
  'models.local': {
    level: 'warning',
    cause: 'The sentence model in the folder that EMBEDDINGS names cannot be used. Search is by keyword until it can.',
    fix: 'Put `tokenizer.json` and `model.onnx` or `model.safetensors` into the folder, readable for the server, or correct `path`.',
  },
});
export const modelFindings = types;

type Connection = Pick<CheckContext['config']['MODELS'][number], 'provider' | 'baseUrl' | 'apiKey'>;

/** Lists models, which costs nothing. A provider that does not list them returns 404, which is fine. */
export async function checkModels({ config, timeoutMs, fetch }: CheckContext): Promise<Finding[]> {
  const check = async (setting: string, name: string, connection: Connection): Promise<Finding[]> => {
    const url = `${baseUrlOf(connection).replace(/\/$/, '')}/models`;
    try {
      const { status } = await fetch({ url, headers: keyHeaders(connection), timeouts: timeouts(timeoutMs) });
      if (status !== 401 && status !== 403) return [];
      return [report('models.key', [setting], `${setting}: the provider of ${name} rejects its API key.`)];
    } catch (error) {
      const message = `${setting}: the provider of ${name} does not respond (${reasonOf(error)}).`;
      return [report('models.unreachable', [setting], message)];
    }
  };
  const checkEmbeddings = (setting: NonNullable<typeof embeddings>) =>
    setting.provider === 'local' ? checkLocalModel(setting.path) : check('EMBEDDINGS', 'the embedding model', setting);
  const { MODELS: models, EMBEDDINGS: embeddings } = config;
  const findings = await Promise.all([
    ...models.map((model) => check('MODELS', `the model ${model.name}`, model)),
    ...(embeddings ? [checkEmbeddings(embeddings)] : []),
  ]);
  return findings.flat();
}

async function checkLocalModel(path: string): Promise<Finding[]> {
  try {
    const { openSentenceModel } = await import('../features/knowledge/embed/sentence-model.ts'); // loads native code
    await (await openSentenceModel(path)).embed('check');
    return [];
  } catch (error) {
    return [report('models.local', ['EMBEDDINGS'], `EMBEDDINGS: the model cannot be used: ${reasonOf(error)}`)];
  }
}

const baseUrlOf = ({ provider, baseUrl }: Connection): string =>
  baseUrl ?? (provider === 'openai-compatible' ? '' : defaultBaseUrls[provider]);

function keyHeaders({ provider, apiKey }: Connection): Record<string, string> {
  if (apiKey === undefined) return {};
  if (provider === 'anthropic') return { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
  if (provider === 'google') return { 'x-goog-api-key': apiKey };
  return { authorization: `Bearer ${apiKey}` };
}
