<?php

declare(strict_types=1);

use PaymentCheckout\ApiError;
use PaymentCheckout\Client;
use PaymentCheckout\ConnectionFailed;
use PaymentCheckout\Response;

/** A client whose service answers what the test says, in its order, and that notes what it sends and waits. */
final class Line
{
    public array $sent = [];
    public array $waits = [];
    public readonly Client $client;

    public function __construct(array $answers, string $url = 'https://pay.example/', string $key = "sk_test_abc\n")
    {
        $transport = function (string $method, string $url, array $headers, ?string $body) use (&$answers): Response {
            $this->sent[] = [$method, $url, $headers, $body];
            $answer = array_shift($answers);
            return $answer instanceof Response ? $answer : throw $answer;
        };
        $this->client = new Client($url, $key, $transport, sleep: function (float $seconds): void {
            $this->waits[] = $seconds;
        });
    }
}

it('sends a POST with the key, the body and an idempotency key', function (): void {
    $line = new Line([new Response(201, '{"id":"pay_1"}')]);
    $order = ['pay_amount' => '25.00', 'order_id' => 'é'];
    same(['id' => 'pay_1'], $line->client->createPayment($order, 'order-1'));
    [[$method, $url, $headers, $body]] = $line->sent;
    same(['POST', 'https://pay.example/v1/payment'], [$method, $url]);
    same($order, json_decode($body, true));
    same(['application/json', 'sk_test_abc', 'application/json', 'order-1'], array_values($headers));
});

it('sends no fields as an object, and what is given of a query', function (): void {
    $line = new Line([new Response(200, '[]'), new Response(200, '{"data":[]}')]);
    $line->client->refundPayment('pay_1', []);
    same('{}', $line->sent[0][3]);
    $line->client->listPayments(status: ['SETTLED', 'EXPIRED'], limit: 5, orderId: 'a&b');
    parse_str((string) parse_url($line->sent[1][1], PHP_URL_QUERY), $query);
    ksort($query);
    same(['limit' => '5', 'order_id' => 'a&b', 'status' => 'SETTLED,EXPIRED'], $query);
});

it('walks all pages', function (): void {
    $page = fn (array $data, string $next, bool $more) => new Response(200, json_encode(
        ['data' => $data, 'pagination' => ['next_cursor' => $next, 'has_more' => $more]],
        JSON_THROW_ON_ERROR,
    ));
    // The feed has a cursor on its last page, too.
    $line = new Line([$page([1, 2], 'c1', true), $page([3], 'c2', false)]);
    $items = $line->client->items(fn (?string $cursor) => $line->client->listPayments(cursor: $cursor));
    same([1, 2, 3], iterator_to_array($items, false));
    same('https://pay.example/v1/payments?cursor=c1', $line->sent[1][1]);
});

it('tries a passing fault again, under the same idempotency key', function (): void {
    $line = new Line([
        new Response(503, '{}', '2'),
        new ConnectionFailed('away'),
        new Response(502, '<html>'),
        new Response(201, '{"id":"pay_1"}'),
    ]);
    $line->client->createPayment(['pay_amount' => '1', 'order_id' => '1']);
    same(1, count(array_unique(array_map(fn (array $sent) => $sent[2]['Idempotency-Key'], $line->sent))));
    same([2.0, 1.0, 2.0], $line->waits);
});

it('throws a refusal with its facts, and does not try it again', function (): void {
    $details = ['field' => 'pay_amount', 'constraint' => 'type'];
    $body = ['message' => 'pay_amount must be text', 'details' => $details, 'request_id' => 'req_1'];
    $line = new Line([new Response(400, json_encode($body, JSON_THROW_ON_ERROR))]);
    $fault = thrown(ApiError::class, fn () => $line->client->createPayment(['pay_amount' => 1, 'order_id' => '1']));
    same([400, 'pay_amount must be text', $details, 'req_1', []], [
        $fault->status, $fault->getMessage(), $fault->details, $fault->requestId, $line->waits,
    ]);
});

it('gives up on what asks for a long wait, never works, or redirects', function (): void {
    $line = new Line([
        new Response(429, '{}', '60'),
        new Response(503, '{"message":"network_unavailable: none"}'),
        new Response(302, ''),
    ]);
    foreach ([429, 503, 302] as $status) {
        same($status, thrown(ApiError::class, fn () => $line->client->getPayment('pay_1'))->status);
    }
    same([], $line->waits);
});

it('refuses at once what cannot work, and shows no key', function (): void {
    $urls = ['', 'ftp://pay.example', 'https://a:b@pay.example', 'https://pay.example/v1', '//pay', 'https://p?x=1'];
    foreach ($urls as $url) {
        thrown(InvalidArgumentException::class, fn () => new Line([], $url));
    }
    foreach (['', 'hunter2', "sk_a\nb"] as $key) {
        $fault = thrown(InvalidArgumentException::class, fn () => new Line([], key: $key));
        same(false, str_contains($fault->getMessage(), 'hunter2'));
    }
    $client = (new Line([]))->client;
    foreach (['', '../status', 'pay_1?x=1'] as $id) {
        thrown(InvalidArgumentException::class, fn () => $client->getPayment($id));
    }
    ob_start();
    var_dump($client);
    same(false, str_contains((string) ob_get_clean(), 'sk_test'));
});

it('cannot reach a service that is away', function (): void {
    $waits = [];
    $client = new Client('http://127.0.0.1:1', 'sk_test_abc', null, 1, function (float $seconds) use (&$waits): void {
        $waits[] = $seconds;
    });
    thrown(ConnectionFailed::class, fn () => $client->getPayment('pay_1'));
    same([0.5], $waits);
});
