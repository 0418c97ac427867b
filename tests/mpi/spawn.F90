! SPDX-License-Identifier: GPL-3.0-or-later
! Two children with two arguments: texts have lengths that nobody writes down. With -DF08 through the module mpi_f08.
program spawn
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: error, i, codes(2)
  character(len=32) :: arguments(3), word
  character(len=1000) :: self
#ifdef F08
  type(MPI_Comm) :: parent, children
#else
  integer :: parent, children
#endif
  call MPI_Init(error)
  call MPI_Comm_get_parent(parent, error)
  if (parent == MPI_COMM_NULL) then
    arguments = (/ 'first ', 'second', '      ' /)
    call get_command_argument(0, self)
    call MPI_Comm_spawn(trim(self), arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, codes, error)
    call MPI_Barrier(children, error)
    call MPI_Comm_disconnect(children, error)
  else
    if (command_argument_count() /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    do i = 1, 2
      call get_command_argument(i, word)
      if (word /= merge('first ', 'second', i == 1)) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    end do
    call MPI_Barrier(parent, error)
    call MPI_Comm_disconnect(parent, error)
  end if
  call MPI_Finalize(error)
end program spawn
