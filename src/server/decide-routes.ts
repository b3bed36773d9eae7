/** What a person tells a run: signals, answers to its questions, and decisions about its changes. */
import type { Hono } from 'hono';
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Owner } from '../owner/owner.ts';
import { followQuestions } from '../owner/runs/follow-questions.ts';
import { AnswerRequest } from '../protocol/api.ts';
import { PersonSignal } from '../protocol/signal.ts';
import { DecideRequest } from '../protocol/views/approval-view.ts';
import { checkBody, checkCommand, checkQuery } from './check-body.ts';
import { pageChannel } from './page-channel.ts';
import { requestKey } from './request-key.ts';
import { runIdOf } from './run-id-param.ts';
import { eventStream } from './sse-stream.ts';

export function addDecideRoutes(app: Hono, owner: Owner): void {
  app.post('/v1/runs/:id/signals', async (context) => {
    const run = runIdOf(context);
    const signal = checkQuery(PersonSignal, await checkBody(context));
    await owner.requests.once(
      requestKey(context, signal),
      (mark) => owner.questions.signal(run, signal, mark, pageChannel(context)),
      alreadyDone,
    );
    return context.json(await owner.run(run), 202);
  });
  app.get('/v1/inbox', async (context) => context.json(await owner.questions.inbox()));
  app.get('/v1/runs/:id/questions', (context) => {
    const run = runIdOf(context);
    return eventStream(context, owner.lifetime, (signal) =>
      followQuestions({ journal: owner.journal, view: () => owner.run(run) }, signal),
    );
  });
  app.post('/v1/runs/:id/answer', async (context) => {
    const run = runIdOf(context);
    const { request, environment } = await checkCommand(AnswerRequest, context);
    const asked = await owner.questions.asked(run, request);
    const asker = asked instanceof Refusal ? run : (asked.run as RunId);
    await owner.credentials.supplyForAnswer(asker, environment, request.choice);
    await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.questions.answer(asked, request, mark, pageChannel(context)),
      alreadyDone,
    );
    return context.json(await owner.run(run), 202);
  });
  app.post('/v1/runs/:id/decision', async (context) => {
    const run = runIdOf(context);
    const request = checkQuery(DecideRequest, await checkBody(context));
    // The digest of a request is stored, so it must not depend on the secret.
    const { secret: _, ...named } = request;
    const channel = pageChannel(context) ?? request.channel;
    await owner.requests.once(
      requestKey(context, named),
      (mark) => owner.decide(run, { ...request, channel }, mark),
      alreadyDone,
    );
    return context.json(await owner.run(run), 202);
  });
  app.post('/v1/runs/:id/edit', async (context) =>
    context.json(await owner.edit(runIdOf(context))),
  );
}

/** The signal is in the journal, so there is nothing left to do. */
async function alreadyDone(): Promise<void> {}
