<?php

declare(strict_types=1);

namespace PaymentCheckout;

/**
 * A client of the REST API: `new Client('https://pay.example', 'sk_test_...')`.
 *
 * Written by `npm run integrations` from the OpenAPI document of the service.
 */
final class Client extends Http
{
    public const VERSION = '0.1.0';

    /**
     * Reports the health of the API, and whether a key is valid.
     *
     * @return array<string, mixed>
     */
    public function getStatus(): array
    {
        return $this->send('GET', '/v1/status');
    }

    /**
     * Creates a payment and returns its checkout URL.
     *
     * @param array{
     *     pay_amount?: string,
     *     price_amount?: string,
     *     price_currency?: string,
     *     order_id: string,
     *     order_description?: string,
     *     callback_url?: string,
     *     success_url?: string,
     *     cancel_url?: string,
     *     expiration_minutes?: int,
     *     customer_email?: string,
     *     metadata?: array<string, mixed>,
     *     policy?: array<string, mixed>,
     * } $body
     * @return array<string, mixed>
     */
    public function createPayment(array $body, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/payment', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Returns a payment as it is now.
     *
     * @return array<string, mixed>
     */
    public function getPayment(string $id): array
    {
        return $this->send('GET', '/v1/payment/' . self::id($id));
    }

    /**
     * Lists the merchant's payments, newest first.
     *
     * @param string|list<string>|null $status
     * @return array<string, mixed>
     */
    public function listPayments(
        ?int $page = null,
        ?int $limit = null,
        ?string $cursor = null,
        string|array|null $status = null,
        ?string $orderId = null,
        ?string $fromDate = null,
        ?string $toDate = null,
    ): array {
        return $this->send(
            'GET',
            '/v1/payments',
            query: [
                'page' => $page,
                'limit' => $limit,
                'cursor' => $cursor,
                'status' => $status,
                'order_id' => $orderId,
                'from_date' => $fromDate,
                'to_date' => $toDate,
            ],
        );
    }

    /**
     * Cancels a payment that waits for money.
     *
     * @return array<string, mixed>
     */
    public function cancelPayment(string $id, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/payment/' . self::id($id) . '/cancel', idempotencyKey: $idempotencyKey);
    }

    /**
     * Sends money back to the customer: an amount, or everything that is left.
     *
     * @param array{
     *     amount?: string,
     *     price_amount?: string,
     *     price_currency?: string,
     *     reason?: string,
     *     address?: string,
     *     to_sender?: bool,
     * } $body
     * @return array<string, mixed>
     */
    public function refundPayment(string $id, array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/payment/' . self::id($id) . '/refund',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Lists a payment's refunds, newest first.
     *
     * @return array<string, mixed>
     */
    public function listRefunds(string $id): array
    {
        return $this->send('GET', '/v1/payment/' . self::id($id) . '/refunds');
    }

    /**
     * Names the transaction with which you pay a refund of a live payment.
     *
     * @param array{
     *     tx_hash: string,
     * } $body
     * @return array<string, mixed>
     */
    public function announceRefund(string $id, string $refundId, array $body, ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/payment/' . self::id($id) . '/refunds/' . self::id($refundId) . '/announce',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Clears the refund address that the customer gave on the checkout page.
     *
     * @return array<string, mixed>
     */
    public function clearRefundAddress(string $id): array
    {
        return $this->send('DELETE', '/v1/payment/' . self::id($id) . '/refund-address');
    }

    /**
     * Creates a payment link: a page on which customers create payments themselves.
     *
     * @param array{
     *     title: string,
     *     description?: string,
     *     prices?: list<array<string, mixed>>,
     *     open_amount?: array<string, mixed>,
     *     price_currency?: string,
     *     fields?: list<array<string, mixed>>,
     *     max_uses?: int,
     *     stock?: int,
     *     expires_at?: string,
     *     expiration_minutes?: int,
     *     success_url?: string,
     *     thank_you?: string,
     * } $body
     * @return array<string, mixed>
     */
    public function createLink(array $body, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/links', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Lists the merchant's payment links, newest first.
     *
     * @return array<string, mixed>
     */
    public function listLinks(?int $limit = null, ?string $cursor = null): array
    {
        return $this->send('GET', '/v1/links', query: ['limit' => $limit, 'cursor' => $cursor]);
    }

    /**
     * Returns a payment link as it is now.
     *
     * @return array<string, mixed>
     */
    public function getLink(string $id): array
    {
        return $this->send('GET', '/v1/links/' . self::id($id));
    }

    /**
     * Changes what the body names of a payment link, and leaves the rest.
     *
     * @param array{
     *     title?: string,
     *     description?: string|null,
     *     prices?: list<array<string, mixed>>,
     *     stock?: int|null,
     *     stock_change?: int,
     *     max_uses?: int|null,
     *     expires_at?: string|null,
     *     is_active?: bool,
     * } $body
     * @return array<string, mixed>
     */
    public function updateLink(string $id, array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/links/' . self::id($id), body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Closes a payment link for good.
     *
     * @return array<string, mixed>
     */
    public function archiveLink(string $id, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/links/' . self::id($id) . '/archive', idempotencyKey: $idempotencyKey);
    }

    /**
     * Sets the URL that receives events, and whether they are sent.
     *
     * @param array{
     *     webhookUrl: string|null,
     *     enabled: bool,
     * } $body
     * @return array<string, mixed>
     */
    public function setWebhookConfig(array $body): array
    {
        return $this->send('PUT', '/v1/webhooks/config', body: $body);
    }

    /**
     * Returns the URL that receives events, whether events are sent, and how the last deliveries went.
     *
     * @return array<string, mixed>
     */
    public function getWebhookConfig(): array
    {
        return $this->send('GET', '/v1/webhooks/config');
    }

    /**
     * Returns the secret that signs events, and those whose rotation still overlaps.
     *
     * @return array<string, mixed>
     */
    public function getWebhookSecrets(): array
    {
        return $this->send('GET', '/v1/webhooks/secrets');
    }

    /**
     * Puts a new secret in force; the old one still signs beside it until the overlap ends.
     *
     * @param array{
     *     overlap_hours?: int,
     * } $body
     * @return array<string, mixed>
     */
    public function rotateWebhookSecret(array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/secrets/rotate', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Lists the URLs that receive events, the webhookUrl first, and how their last deliveries went.
     *
     * @return array<string, mixed>
     */
    public function listWebhookEndpoints(?int $limit = null, ?string $cursor = null, ?string $state = null): array
    {
        return $this->send(
            'GET',
            '/v1/webhooks/endpoints',
            query: ['limit' => $limit, 'cursor' => $cursor, 'state' => $state],
        );
    }

    /**
     * Registers a further URL that receives events, with a secret of its own.
     *
     * @param array{
     *     url: string,
     *     enabled?: bool,
     *     event_types?: list<string>|null,
     *     description?: string|null,
     *     payload?: 'full'|'thin',
     * } $body
     * @return array<string, mixed>
     */
    public function registerWebhookEndpoint(array $body, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/endpoints', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Switches an endpoint on again that was switched off, and forgets its failures.
     *
     * @param array{
     *     url?: string,
     *     id?: string,
     * } $body
     * @return array<string, mixed>
     */
    public function enableWebhookEndpoint(array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/endpoints/enable', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Returns a registered endpoint and its health.
     *
     * @return array<string, mixed>
     */
    public function getWebhookEndpoint(string $id): array
    {
        return $this->send('GET', '/v1/webhooks/endpoints/' . self::id($id));
    }

    /**
     * Sets all settings of a registered endpoint.
     *
     * @param array{
     *     url: string,
     *     enabled?: bool,
     *     event_types?: list<string>|null,
     *     description?: string|null,
     *     payload?: 'full'|'thin',
     * } $body
     * @return array<string, mixed>
     */
    public function setWebhookEndpoint(string $id, array $body): array
    {
        return $this->send('PUT', '/v1/webhooks/endpoints/' . self::id($id), body: $body);
    }

    /**
     * Deletes a registered endpoint.
     *
     * @return array<string, mixed>
     */
    public function deleteWebhookEndpoint(string $id): array
    {
        return $this->send('DELETE', '/v1/webhooks/endpoints/' . self::id($id));
    }

    /**
     * Returns the secret that signs what a registered endpoint receives, and those that still overlap.
     *
     * @return array<string, mixed>
     */
    public function getWebhookEndpointSecrets(string $id): array
    {
        return $this->send('GET', '/v1/webhooks/endpoints/' . self::id($id) . '/secrets');
    }

    /**
     * Puts a new secret of a registered endpoint in force; the old one overlaps.
     *
     * @param array{
     *     overlap_hours?: int,
     * } $body
     * @return array<string, mixed>
     */
    public function rotateWebhookEndpointSecret(string $id, array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/webhooks/endpoints/' . self::id($id) . '/secrets/rotate',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Returns the public keys that verify events, and where anybody reads them.
     *
     * @return array<string, mixed>
     */
    public function getSigningKeys(): array
    {
        return $this->send('GET', '/v1/webhooks/signing-keys');
    }

    /**
     * Creates a key pair, or puts a new one in force; the old one still signs until the overlap ends.
     *
     * @param array{
     *     overlap_hours?: int,
     * } $body
     * @return array<string, mixed>
     */
    public function rotateSigningKey(array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/signing-keys', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Returns a merchant's public keys as a JSON Web Key Set, to anybody.
     *
     * @return array<string, mixed>
     */
    public function getJwks(string $merchantId): array
    {
        return $this->send('GET', '/v1/webhooks/jwks/' . self::id($merchantId));
    }

    /**
     * Lists the merchant's webhook deliveries of the last 30 days, newest first.
     *
     * @param string|list<string>|null $status
     * @param string|list<string>|null $type
     * @return array<string, mixed>
     */
    public function listDeliveries(
        ?int $limit = null,
        ?string $cursor = null,
        ?string $paymentId = null,
        ?string $eventId = null,
        ?string $endpointId = null,
        string|array|null $status = null,
        string|array|null $type = null,
        ?string $fromDate = null,
        ?string $toDate = null,
    ): array {
        return $this->send(
            'GET',
            '/v1/webhooks/deliveries',
            query: [
                'limit' => $limit,
                'cursor' => $cursor,
                'payment_id' => $paymentId,
                'event_id' => $eventId,
                'endpoint_id' => $endpointId,
                'status' => $status,
                'type' => $type,
                'from_date' => $fromDate,
                'to_date' => $toDate,
            ],
        );
    }

    /**
     * Returns a delivery with every attempt.
     *
     * @return array<string, mixed>
     */
    public function getDelivery(string $id): array
    {
        return $this->send('GET', '/v1/webhooks/deliveries/' . self::id($id));
    }

    /**
     * Delivers an event again, in any status of its delivery.
     *
     * @param array{
     *     to?: 'receiver'|'listeners',
     * } $body
     * @return array<string, mixed>
     */
    public function redeliver(string $id, array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/webhooks/deliveries/' . self::id($id) . '/redeliver',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Delivers the failed events, or all, of a time range again.
     *
     * @param array{
     *     which?: 'failed'|'all',
     *     from_date: mixed,
     *     to_date?: mixed,
     *     endpoint_id?: string,
     * } $body
     * @return array<string, mixed>
     */
    public function redeliverRange(array $body, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/redeliver', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Sends the receiver one signed event of a payment that does not exist, and returns the outcome.
     *
     * @param array{
     *     type?: string,
     *     url?: string,
     *     endpoint_id?: string,
     * } $body
     * @return array<string, mixed>
     */
    public function sendTestEvent(array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/test', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Runs the receiver through the cases that receivers get wrong, and returns the outcome of each.
     *
     * @param array{
     *     url?: string,
     *     endpoint_id?: string,
     * } $body
     * @return array<string, mixed>
     */
    public function examineReceiver(array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/webhooks/examine', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Reads the merchant's events of the last 90 days, oldest first and without gaps, from a cursor on.
     *
     * @param string|list<string>|null $type
     * @return array<string, mixed>
     */
    public function readEvents(
        ?string $after = null,
        string|array|null $type = null,
        ?string $paymentId = null,
        ?int $limit = null,
    ): array {
        return $this->send(
            'GET',
            '/v1/events',
            query: ['after' => $after, 'type' => $type, 'payment_id' => $paymentId, 'limit' => $limit],
        );
    }

    /**
     * Lists the events that were asked to be delivered again within the last day, oldest request first.
     *
     * @return array<string, mixed>
     */
    public function listRedeliveries(?string $after = null, ?int $limit = null): array
    {
        return $this->send('GET', '/v1/events/redeliveries', query: ['after' => $after, 'limit' => $limit]);
    }

    /**
     * Returns one event of the last 90 days.
     *
     * @return array<string, mixed>
     */
    public function getEvent(string $id): array
    {
        return $this->send('GET', '/v1/events/' . self::id($id));
    }

    /**
     * Lists a payment's events of the last 90 days, in the order of their sequence.
     *
     * @return array<string, mixed>
     */
    public function listPaymentEvents(string $id, ?string $cursor = null, ?int $limit = null): array
    {
        return $this->send(
            'GET',
            '/v1/payment/' . self::id($id) . '/events',
            query: ['cursor' => $cursor, 'limit' => $limit],
        );
    }

    /**
     * Lists the merchant's wallets, newest first: where the money of live payments goes.
     *
     * @return array<string, mixed>
     */
    public function listWallets(?int $limit = null, ?string $cursor = null): array
    {
        return $this->send('GET', '/v1/wallets', query: ['limit' => $limit, 'cursor' => $cursor]);
    }

    /**
     * Returns how the merchant appears on their customers' pages.
     *
     * @return array<string, mixed>
     */
    public function getAppearance(): array
    {
        return $this->send('GET', '/v1/checkout/appearance');
    }

    /**
     * Replaces all choices of the appearance; null, or leaving one out, is its default.
     *
     * @param array{
     *     name?: string|null,
     *     support_url?: string|null,
     *     accent_color?: string|null,
     *     display_currency?: string|null,
     *     methods?: list<array<string, mixed>>|null,
     *     embed_origins?: list<string>,
     *     accent_used?: mixed,
     *     logo?: mixed,
     *     updated_at?: mixed,
     * } $body
     * @return array<string, mixed>
     */
    public function setAppearance(array $body = []): array
    {
        return $this->send('PUT', '/v1/checkout/appearance', body: $body);
    }

    /**
     * Takes an image as the logo; it is encoded again, and its metadata are dropped.
     *
     * @param 'image/png'|'image/jpeg'|'image/webp' $contentType
     * @return array<string, mixed>
     */
    public function setLogo(string $file, string $contentType): array
    {
        return $this->send('PUT', '/v1/checkout/logo', file: [$contentType, $file]);
    }

    /**
     * Removes the logo.
     *
     * @return array<string, mixed>
     */
    public function deleteLogo(): array
    {
        return $this->send('DELETE', '/v1/checkout/logo');
    }

    /**
     * Acts as the customer: sends one transfer to the payment on the simulated chain.
     *
     * @param array{
     *     amount?: string,
     *     coin?: 'BTC'|'ETH'|'USDT'|'USDC'|'TRX'|'SOL'|'POL'|'DAI'|'BNB',
     *     network?: string,
     * } $body
     * @return array<string, mixed>
     */
    public function sendSandboxTransfer(string $id, array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/sandbox/payments/' . self::id($id) . '/transfers',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Acts as a customer who replaces a seen transfer: by a double spend, or to speed it up.
     *
     * @param array{
     *     transfer?: int,
     *     speed_up?: bool,
     * } $body
     * @return array<string, mixed>
     */
    public function replaceSandboxTransfer(string $id, array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/sandbox/payments/' . self::id($id) . '/replace',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Moves the market of the merchant's test payments: requotes and late money follow it.
     *
     * @param array{
     *     rates: array<string, mixed>,
     * } $body
     * @return array<string, mixed>
     */
    public function moveSandboxRates(array $body, ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/sandbox/rates', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Advances the payment's test clock; runs the jobs that become due and returns what happened.
     *
     * @param array{
     *     by: string,
     * } $body
     * @return array<string, mixed>
     */
    public function advanceSandboxClock(string $id, array $body, ?string $idempotencyKey = null): array
    {
        return $this->send(
            'POST',
            '/v1/sandbox/payments/' . self::id($id) . '/advance',
            body: $body,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Runs a scenario, by name or from a script, on a payment with a test clock; returns what happened.
     *
     * @param array{
     *     story?: string,
     *     payment?: array<string, mixed>,
     *     script?: list<array<string, mixed>>,
     *     seed?: string,
     *     ids?: 'random'|'stable',
     * } $body
     * @return array<string, mixed>
     */
    public function playScenario(array $body = [], ?string $idempotencyKey = null): array
    {
        return $this->send('POST', '/v1/sandbox/scenarios', body: $body, idempotencyKey: $idempotencyKey);
    }
}
