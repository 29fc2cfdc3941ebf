<?php

/* The classes of WooCommerce that the plugin uses, as recorded.php says: they come after the plugin is loaded. */

declare(strict_types=1);

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];
    }
}

namespace {
    abstract class WC_Payment_Gateway
    {
        public $id;
        public $title;
        public $description;
        public $has_fields;
        public $supports;
        public $method_title;
        public $method_description;
        public $form_fields = [];
        public $settings = [];

        public function init_settings(): void
        {
            $this->settings = get_option("woocommerce_{$this->id}_settings", [])
                + array_map(fn (array $field) => $field['default'], $this->form_fields);
        }

        public function get_option(string $name): mixed
        {
            return $this->settings[$name] ?? '';
        }

        public function is_available(): bool
        {
            return $this->get_option('enabled') === 'yes';
        }

        public function process_admin_options(): bool
        {
            return true;
        }
    }

    /** An order; what is saved is what wc_get_order reads. */
    final class WC_Order
    {
        public array $notes = [];
        public string $status = 'pending';
        public string $transaction = '';
        public float $refunded = 0.0;
        private array $meta = [];

        public function __construct(public int $id, public string $total = '10.50', public string $key = 'wc_order_a')
        {
            $this->save();
        }

        public function save(): int
        {
            Site::$orders[$this->id] = unserialize(serialize($this));
            return $this->id;
        }

        public function save_meta_data(): void
        {
            $saved = Site::$orders[$this->id];
            $saved->meta = $this->meta;
        }

        public function get_id(): int
        {
            return $this->id;
        }

        public function get_order_number(): string
        {
            return "N$this->id";
        }

        public function get_order_key(): string
        {
            return $this->key;
        }

        public function get_total(): string
        {
            return $this->total;
        }

        public function get_currency(): string
        {
            return 'EUR';
        }

        public function get_billing_email(): string
        {
            return 'ann@example.com';
        }

        public function get_meta(string $name): mixed
        {
            return $this->meta[$name] ?? '';
        }

        public function update_meta_data(string $name, mixed $value): void
        {
            $this->meta[$name] = $value;
        }

        public function get_checkout_order_received_url(): string
        {
            return "https://shop.example/thanks/$this->id";
        }

        public function get_checkout_payment_url(): string
        {
            return "https://shop.example/pay/$this->id";
        }

        public function get_transaction_id(): string
        {
            return $this->transaction;
        }

        public function set_transaction_id(string $id): void
        {
            $this->transaction = $id;
        }

        public function get_total_refunded(): string
        {
            return (string) $this->refunded;
        }

        public function get_remaining_refund_amount(): string
        {
            return (string) ((float) $this->total - $this->refunded);
        }

        public function has_status(string|array $statuses): bool
        {
            return in_array($this->status, (array) $statuses, true);
        }

        public function is_paid(): bool
        {
            return $this->has_status(['processing', 'completed']);
        }

        public function needs_payment(): bool
        {
            return $this->has_status(['pending', 'failed']) && (float) $this->total > 0;
        }

        public function add_order_note(string $note): int
        {
            $this->notes[] = $note;
            Site::$orders[$this->id]->notes[] = $note;
            return count($this->notes);
        }

        public function update_status(string $status, string $note = ''): bool
        {
            $this->status = $status;
            $this->notes[] = $note;
            return $this->save() > 0;
        }

        public function payment_complete(string $transaction = ''): bool
        {
            if ($this->has_status(['on-hold', 'pending', 'failed', 'cancelled'])) {
                $this->transaction = $transaction;
                $this->status = 'processing';
                $this->save();
            }
            return true;
        }
    }
}
