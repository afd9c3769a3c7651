import './actions.css';
import { Box, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  api,
  call,
  ConfirmByName,
  Id,
  ProblemText,
  Section,
  SubHeader,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconAlertTriangle, IconCheck, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import { LeaveGuard } from '../draft.tsx';
import { useBot } from '../bot-data.ts';
import { endpointsOf, type Endpoint } from './endpoints.ts';
import { JsonPane } from './json-pane.tsx';
import { lineAndColumn, type JsonError } from './spec.ts';
import { SpecForm } from './spec-form.tsx';
import { TryIt } from './try-it.tsx';
import { fieldErrors, useEditor, type ActionEditor } from './use-editor.ts';
import type { Action } from './labels.ts';

export const meta = ({ data }: { data?: { action?: Action } }) => [
  { title: `${data?.action?.title ?? 'New action'} · Parley` },
];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const id = params['actionId'] ?? '';
  const [actionResponse, endpoints] = await Promise.all([
    id === 'new' ? undefined : service.GET('/actions/{id}', { params: { path: { id } } }),
    endpointsOf(service),
  ]);
  return { action: actionResponse && read(actionResponse, request).action, endpoints };
}

export default function EditorPage() {
  const { action, endpoints } = useLoaderData<typeof loader>();
  return <Editor key={action?.id ?? 'new'} action={action} endpoints={endpoints} />;
}

interface Props {
  action: Action | undefined;
  endpoints: Endpoint[];
}

function Editor({ action, endpoints }: Props) {
  const { bot } = useBot();
  const [first] = endpoints;
  // Preselect the endpoint if there is only one.
  const editor = useEditor(action, endpoints.length === 1 && first ? { webhookId: first.id } : {});
  const [pane, setPane] = useState('form');
  const reason =
    denialReason(useMe(), 'integration.manage', 'private_actions') ??
    (bot.status === 'archived' ? 'This bot is archived. Restore it in Settings first.' : undefined);
  const { errorAt, otherErrors } = fieldErrors(editor.saving.problem);
  return (
    <>
      <SubHeader
        title={action?.title ?? 'New action'}
        breadcrumb={[{ to: `/bots/${bot.id}/actions`, label: 'All actions' }]}
        state={action && <Id id={action.id} />}
        actions={
          action && (
            <>
              <Button component="a" href="#try" variant="default" size="xs">
                Test
              </Button>
              <Button component={Link} to={`/developers/runs?actionId=${action.id}`} variant="default" size="xs">
                Runs
              </Button>
              <Remove action={action} reason={reason} />
            </>
          )
        }
      />
      {reason && <Text>{reason}</Text>}
      <SegmentedControl
        className="panes"
        fullWidth
        aria-label="Edit as"
        value={pane}
        onChange={setPane}
        data={[
          { value: 'form', label: 'Form' },
          { value: 'json', label: editor.jsonError ? 'JSON (error)' : 'JSON' },
        ]}
      />
      <div className="both" data-pane={pane}>
        <div>
          <SpecForm editor={editor} endpoints={endpoints} isNew={!action} errorAt={errorAt} />
        </div>
        <div className="stays">
          <JsonPane editor={editor} isClosed={reason !== undefined} errors={otherErrors} />
        </div>
      </div>
      <SaveAction editor={{ ...editor, show: () => setPane('json') }} isNew={!action} reason={reason} />
      <div id="try" className="landing">
        {action ? (
          <TryIt action={action} isChanged={editor.isChanged} reason={reason} />
        ) : (
          <Section title="Test action">
            <Text>Save the action first. Then you can test it here with a real call to your system.</Text>
          </Section>
        )}
      </div>
    </>
  );
}

type EditorView = ActionEditor & { show(): void };
interface SaveProps {
  editor: EditorView;
  isNew: boolean;
  reason: string | undefined;
}

/** Sticky, so that it is visible and does not shift the input. */
function InvalidJson({ editor: { text, area, fix, show }, jsonError }: { editor: EditorView; jsonError: JsonError }) {
  const { at } = jsonError;
  const position = at === undefined ? undefined : lineAndColumn(text, at);
  const goToError = () => {
    show();
    // Wait until the pane is rendered.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(at ?? 0, (at ?? 0) + 1);
    });
  };
  return (
    <Group gap="xs" w="100%">
      <IconAlertTriangle size={16} aria-hidden color="var(--bad)" />
      <Text role="status" flex={1} miw={220}>
        {position && `JSON, line ${position.line}, column ${position.column}: `}
        {jsonError.message} The form shows the last valid version.
      </Text>
      {position && (
        <Button size="compact-sm" variant="default" onClick={goToError}>
          Go to error
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={fix}>
        Restore last valid version
      </Button>
    </Group>
  );
}

function SaveAction({ editor, isNew, reason }: SaveProps) {
  const { isChanged, jsonError, save, saving, discard } = editor;
  const disabledReason = reason ?? (jsonError ? 'The JSON isn’t valid. Fix it first.' : undefined);
  const saveNow = () => {
    if (isChanged && disabledReason === undefined) void save();
  };
  useHotkeys([['mod+S', saveNow]], []);
  return (
    <>
      <Group className="save" justify="space-between" gap="xs" {...(isChanged && { 'data-changed': true })}>
        {saving.problem && (
          <Box w="100%">
            <ProblemText problem={saving.problem} />
          </Box>
        )}
        {jsonError ? (
          <InvalidJson editor={editor} jsonError={jsonError} />
        ) : (
          <Group gap={6} role="status">
            {isChanged ? <IconPencil size={16} aria-hidden /> : <IconCheck size={16} aria-hidden />}
            <Text>{isChanged ? 'Unsaved changes' : isNew ? 'No changes yet' : 'Saved to draft'}</Text>
          </Group>
        )}
        <Group gap="xs">
          {isChanged && !jsonError && (
            <Button variant="default" onClick={discard} disabled={saving.isRunning}>
              Discard changes
            </Button>
          )}
          <WithReason reason={disabledReason}>
            <Button onClick={saveNow} disabled={!isChanged || disabledReason !== undefined} loading={saving.isRunning}>
              {isNew ? 'Add action' : 'Save action'}
            </Button>
          </WithReason>
        </Group>
      </Group>
      <LeaveGuard draftEditor={{ isChanged, isConflict: disabledReason !== undefined, save, saving }} />
    </>
  );
}

function Remove({ action, reason }: { action: Action; reason: string | undefined }) {
  const { bot } = useBot();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  // The page is gone afterwards, so nothing is reloaded.
  const remove = useAction(() => call(api.DELETE('/actions/{id}', { params: { path: { id: action.id } } })), {
    isQuiet: true,
  });
  return (
    <>
      <WithReason reason={reason}>
        <Button
          variant="outline"
          color="red"
          size="xs"
          leftSection={<IconTrash size={14} aria-hidden />}
          disabled={reason !== undefined}
          onClick={() => setOpen(true)}
        >
          Delete…
        </Button>
      </WithReason>
      <ConfirmByName
        isOpen={isOpen}
        title="Delete this action?"
        name={action.name}
        confirmLabel="Delete action"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run().then((done) => done && navigate(`/bots/${bot.id}/actions`))}
        onClose={() => setOpen(false)}
      >
        The action is removed from the draft. The published version keeps it until you publish a new one. Its runs are
        kept.
      </ConfirmByName>
    </>
  );
}
