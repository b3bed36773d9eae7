/** The requests that give access to the dashboard and end it, and the stream that its pages follow. */
import type { Hono } from 'hono';
import type { Clock } from '../../base/clock.ts';
import type { Owner } from '../../owner/owner.ts';
import { noOpenQuestion } from '../../owner/runs/run-questions.ts';
import { LinkRequest, QuestionLinkRequest } from '../../protocol/dashboard-access.ts';
import { BoardQuery } from '../../protocol/views/board.ts';
import { checkBody, checkQuery } from '../check-body.ts';
import { parsedRun } from '../run-id-param.ts';
import { eventStream } from '../sse-stream.ts';
import type { Dashboard } from './dashboard.ts';
import { followBoard } from './follow-board.ts';

/** They come from the command line, never from a page. */
export function addDashboardRoutes(app: Hono, owner: Owner, dashboard: Dashboard): void {
  app.post('/v1/dashboard/links', async (context) =>
    context.json(await dashboard.link(checkQuery(LinkRequest, await checkBody(context))), 201),
  );
  app.post('/v1/dashboard/question-links', async (context) => {
    const request = checkQuery(QuestionLinkRequest, await checkBody(context));
    const run = parsedRun(request.run);
    const { open } = await owner.run(run);
    const asked = open.find(({ question }) => question !== undefined);
    if (asked === undefined) throw noOpenQuestion(run);
    return context.json(await dashboard.questionLink({ ...request, run }, asked.key), 201);
  });
  app.post('/v1/dashboard/end', async (context) => context.json(await dashboard.endAll()));
}

/** The stream of a page. */
export function addBoardRoute(app: Hono, owner: Owner, clock: Clock): void {
  app.get('/v1/board/follow', (context) => {
    const request = checkQuery(BoardQuery, context.req.query());
    if (request.run !== undefined) parsedRun(request.run);
    return eventStream(context, owner.lifetime, (signal) =>
      followBoard(owner, clock, request, signal),
    );
  });
}
