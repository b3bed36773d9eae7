/** Runs at set times. A page may not ask for them: a schedule starts tasks. */
import type { Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import { AddScheduleRequest, RemoveScheduleRequest } from '../protocol/views/schedule-view.ts';
import { checkBody, checkCommand, checkQuery } from './check-body.ts';

export function addScheduleRoutes(app: Hono, owner: Owner): void {
  app.get('/v1/schedules', (context) => context.json(owner.schedules.list()));
  app.post('/v1/schedules', async (context) => {
    const { request, environment } = await checkCommand(AddScheduleRequest, context);
    return context.json(await owner.schedules.add(request, environment), 201);
  });
  app.post('/v1/schedules/remove', async (context) => {
    const request = checkQuery(RemoveScheduleRequest, await checkBody(context));
    return context.json(await owner.schedules.remove(request));
  });
}
