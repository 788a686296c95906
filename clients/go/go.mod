module parley/clients/go

go 1.26
