module shop.example/receiver

go 1.19
