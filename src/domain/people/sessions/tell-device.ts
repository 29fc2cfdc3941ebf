import { finish } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { deskUrl } from '../../../platform/values/cells.ts';
import { tellDevice } from './jobs.ts';

/** A notice that no mail server accepts for this long is dropped: the list of sessions shows the place. */
const DROPPED_AFTER_SECONDS = 3 * 86_400;

interface DeviceRow {
  readonly email: string;
  readonly created_at: Date;
  readonly address: string;
  readonly agent: string;
}

const newDevice = sql<DeviceRow, { personId: string; deviceHash: string }>(
  'new_device_of_person',
  (p) => `
    SELECT who.email, d.created_at, d.address, d.agent
    FROM known_devices d JOIN people who ON who.id = d.person_id
    WHERE d.person_id = ${p.personId} AND d.device_hash = decode(${p.deviceHash}, 'hex')`,
);

/**
 * Tells a person by mail that they have signed in from a new device, at least once; throws while the mail
 * server does not accept the mail. Sends nothing where no mail server is configured.
 */
export async function sendDeviceNotice(
  ctx: Context,
  { mailer }: { mailer: Mailer | null },
  key: string,
): Promise<void> {
  const [personId = '', deviceHash = ''] = key.split(' ');
  const device = await runOne(ctx.db, newDevice, { personId, deviceHash });
  const isLate = device !== null && addSeconds(device.created_at, DROPPED_AFTER_SECONDS) <= ctx.now();
  if (mailer !== null && device !== null && !isLate) {
    await mailer.send({
      to: device.email,
      subject: 'You signed in from a new device',
      text: [
        'You signed in to the dashboard of your shop from a device that we did not know:',
        '',
        `  from    ${device.address}`,
        `  with    ${device.agent}`,
        `  at      ${device.created_at.toISOString()}`,
        '',
        'If it was not you, change your password at once: that signs everybody out.',
        deskUrl(ctx.config, '/dashboard/account'),
      ].join('\n'),
      id: `device.${personId}.${deviceHash.slice(0, 16)}`,
      isAutomatic: true,
    });
    ctx.log.info('person told of a new device', { person_id: personId });
  }
  await finish(ctx.db, tellDevice, [key], ctx.now());
}
