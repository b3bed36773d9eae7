/** Answers the requests of a link to one question: shows it, and passes a decision on to the owner. */
import { parseJson, isRecord } from '../../base/json.ts';
import { WorkDiff } from '../../protocol/api.ts';
import type { QuestionLink } from '../../protocol/dashboard-access.ts';
import { RunView } from '../../protocol/views/run-view.ts';
import type { ApiForPages } from './dashboard-app.ts';
import { decidedPage, questionPage, questionUnavailable } from './question-page.ts';

const FORM_BYTES_MAX = 50_000;
const DONE: Readonly<Record<string, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  'send-back': 'Sent back',
};

/** Only what the form has. A link can't edit the work, and can't answer another question. */
const FIELDS = ['text', 'work', 'as', 'secret'] as const;

export async function answerQuestion(
  request: Request,
  { run, key }: QuestionLink,
  api: ApiForPages,
): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const call = (path: string, init?: RequestInit): Promise<Response> =>
    Promise.resolve(
      api(new Request(`${origin}/v1/runs/${run}${path}`, init), { channel: 'phone' }),
    );
  const found = RunView.safeParse(await bodyOf(await call('')));
  if (!found.success) return questionUnavailable(`The run ${run} cannot be read now.`);
  const view = found.data;
  const open = view.open.find((one) => one.key === key && one.question !== undefined);
  if (open === undefined) return decidedPage('This question is no longer open', run);
  const show = async (problem?: string, status?: number): Promise<Response> => {
    const diff =
      open.approval === undefined
        ? undefined
        : WorkDiff.safeParse(await bodyOf(await call('/diff')));
    return questionPage({
      ...{ path: pathname, view, open, diff: diff?.success === true ? diff.data : null },
      ...(problem === undefined ? {} : { problem }),
      ...(status === undefined ? {} : { status }),
    });
  };
  if (request.method !== 'POST') return show();
  const form = await readForm(request);
  const done = DONE[form?.get('decision') ?? ''];
  if (form === undefined || done === undefined || open.approval === undefined)
    return show('This page sent no decision that counts. Nothing was decided.', 400);
  const decision: Record<string, string> = { decision: form.get('decision') ?? '' };
  for (const name of FIELDS) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') decision[name] = value;
  }
  // Without the work that it saw, an approval could count for another one.
  if (open.approval.work !== '' && decision['work'] === undefined)
    return show('This page does not say which work you saw. Nothing was decided.', 400);
  const answer = await call('/decision', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(decision),
  });
  return answer.ok ? decidedPage(done, run) : show(problemOf(await bodyOf(answer)), answer.status);
}

async function bodyOf(answer: Response): Promise<unknown> {
  return parseJson(await answer.text());
}

/** The words of a refusal. */
function problemOf(body: unknown): string {
  const error = isRecord(body) ? body['error'] : undefined;
  const { message, hint } = isRecord(error) ? error : {};
  const words = [message, hint].filter((one) => typeof one === 'string').join(' ');
  return words === '' ? 'The decision did not count.' : words;
}

async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined;
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= FORM_BYTES_MAX)) return undefined;
  return new URLSearchParams(await request.text());
}
