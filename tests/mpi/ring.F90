! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran entry points: 10 rounds of messages in a ring, a wait for all, a persistent send, tests, MPI_IN_PLACE and ignored statuses.
! With -DF08 through the module mpi_f08.
program ring
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: rank, ranks, error, i, dest, got
  real(8) :: sums(2), values(16)
  logical :: done
#ifdef F08
  type(MPI_Request) :: requests(2), lasting
  type(MPI_Status) :: status
#else
  integer :: requests(2), lasting, status(MPI_STATUS_SIZE)
#endif
  real(8) :: in(128), out(128)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  dest = mod(rank + 1, ranks)
  out = rank
  do i = 1, 10
    call MPI_Irecv(in, 128, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(out, 128, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Send_init(out, 128, MPI_DOUBLE_PRECISION, dest, 8, MPI_COMM_WORLD, lasting, error)
  do i = 1, 5
    call MPI_Start(lasting, error)
    call MPI_Recv(in, 128, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
    call MPI_Wait(lasting, MPI_STATUS_IGNORE, error)
  end do
  call MPI_Request_free(lasting, error)
  call MPI_Irecv(in, 128, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(out, 128, MPI_DOUBLE_PRECISION, dest, 9, MPI_COMM_WORLD, requests(2), error)
  done = .false.
  do while (.not. done)
    call MPI_Testall(2, requests, done, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, got, error)
  if (got /= 128) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  call MPI_Pcontrol(42)
  values = 1
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, values, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  sums = 1
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (abs(sums(1) - ranks) > 1d-9) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  call MPI_Finalize(error)
end program ring
