import { endpoint } from '../../platform/endpoint.ts';
import { SendTransferBody, TransferResource } from './schemas.ts';
import { sendTransfer } from './send-transfer.ts';

const SANDBOX_PER_MINUTE = 600;

export const sandboxEndpoints = [
  endpoint({
    operationId: 'sendSandboxTransfer',
    method: 'post',
    path: '/v1/sandbox/payments/:id/transfers',
    summary: 'Plays the customer: sends one transfer to the payment on the simulated chain.',
    auth: 'required',
    permission: 'sandbox:write',
    perMinute: SANDBOX_PER_MINUTE,
    body: SendTransferBody,
    response: { status: 201, schema: TransferResource },
    handle: ({ ctx, caller, params, body, claim }) => sendTransfer(ctx, caller, params.id ?? '', body, claim),
  }),
];
